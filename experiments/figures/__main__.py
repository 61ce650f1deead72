"""Draw the figures of an experiment from its folder of results."""

import click
from experiments.figures import draw_figures

from pbow.experiment import DeclarationError


@click.command()
@click.argument("folder", metavar="RESULTS_FOLDER")
def main(folder: str) -> None:
    """Draw the figures of an experiment into RESULTS_FOLDER/figures."""
    try:
        captions, left_out = draw_figures(folder)
    except (FileNotFoundError, DeclarationError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{len(captions)} figures: {', '.join(captions)}")
    for name, reason in left_out.items():
        click.echo(f"{name} is left out: {reason}", err=True)


if __name__ == "__main__":
    main()
