"""neuralshade sample: an input for a first fit."""

import click

NAMES = ("photo", "bricks", "copper", "task")  # a test holds them equal to those of verbs/sample


@click.command()
@click.argument("name", metavar=f"[{'|'.join(NAMES)}]")
@click.option("-o", "--output", metavar="OUT", help="File or folder to write. [default: named as "
              "the sample, here]")  # fmt: skip
def sample(name: str, output: str | None) -> None:
    """Write an input for a first fit: a photo, a set of brick maps, a material, a Slang task.

    Nothing is downloaded, and nothing that is there is overwritten.

    \b
    neuralshade sample photo
    neuralshade sample bricks -o walls
    """
    from neuralshade.verbs.sample.sample import SAMPLES, write_sample

    path = write_sample(name, output)
    command = SAMPLES[name].command.replace(SAMPLES[name].output, str(path))
    click.echo(str(path))
    click.echo(f"next: neuralshade {command}")
