from pbow.compute.allowance import Allowance


def test_work_is_covered_up_to_the_total():
    allowance = Allowance(10)
    assert allowance.covers(10)
    assert not allowance.covers(1)
    assert allowance.covers(0)


def test_what_is_refused_costs_nothing():
    allowance = Allowance(10)
    assert not allowance.covers(11)
    assert allowance.covers(10)
