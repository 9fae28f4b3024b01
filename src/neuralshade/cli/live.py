"""Live page on the command line: `view`, and `--live` of every fit."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from neuralshade.cli.early import check_asset, check_port
from neuralshade.cli.groups import GroupedOption
from neuralshade.cli.options import TERMINAL, TRUST, VALUES
from neuralshade.cli.work_lines import shown_work

if TYPE_CHECKING:
    from neuralshade.live.live import Live

ADDRESS: dict[str, dict[str, Any]] = {
    "host": {"metavar": "ADDRESS", "help": "Address to serve the page on; other machines need a "
             "token. "
             "[default: 127.0.0.1]"},
    "port": {"type": int, "metavar": "N", "help": "Port to serve the page on, or the next free "
             "one. "
             "[default: 8420]"},
    "open": {"is_flag": True, "help": "Open the page in a browser."},
    "run-shaders": {"is_flag": True, "help": "Let the page send tasks and materials, "
                    "whose code runs here."},
}  # fmt: skip
LIVE: dict[str, Any] = {
    "is_flag": True,
    "help": "Serve a page that shows the fit, until Ctrl-C.",
}
PLACE = ("host", "port", "run_shaders")


def address_options() -> list[click.Parameter]:
    """Return the flags for the page's address."""
    names = {"open": "opened", "run-shaders": "run_shaders"}
    return [GroupedOption([f"--{name}", names.get(name, name)], group="watching", **settings)
            for name, settings in ADDRESS.items()]  # fmt: skip


def live_options() -> list[click.Parameter]:
    """Return the flags of a fit with a live page."""
    return [GroupedOption(["--live"], group="watching", **LIVE), *address_options()]


def live_flags(values: dict[str, Any]) -> dict[str, Any]:
    """Return the flags of ``live_options``, removed from ``values``."""
    return {name: values.pop(name) for name in ("live", *PLACE, "opened")}


def fitted(fit: Callable[..., Any], page_flags: dict[str, Any], show: Callable[[Any], None],
           *subject: Any, **settings: Any) -> None:  # fmt: skip
    """Fit and show the result; with --live, on a page that stays until Ctrl-C.

    ``page_flags``: values of ``live_options``, by name; empty where there are none.
    """
    if not page_flags.get("live"):
        flags = {name: page_flags.get(name) for name in (*PLACE, "opened")}
        unused = [name for name, value in flags.items() if value is not None and value is not False]
        if unused:
            flag = unused[0].replace("opened", "open").replace("_", "-")
            raise click.UsageError(f"--{flag} needs --live.")
        show(fit(*subject, **settings))
        return
    with _page(page_flags) as live:
        result = live.run(fit, *subject, **settings)
        if result is not None:
            show(result)
        live.wait()


def _page(values: dict[str, Any]) -> Live:
    """Return the page after printing its address."""
    from neuralshade.live.live import Live

    live = Live(**{name: values[name] for name in PLACE if values[name] is not None})
    _print_addresses(live, values["opened"])
    return live


def _print_addresses(live: Live, opened: bool) -> None:
    from neuralshade.cli.streams import say

    say(f"live page: {live.address}  (Ctrl-C ends it)")
    for address in live.addresses[1:]:
        say(f"       or: {address}")
    if opened:
        import webbrowser

        if not webbrowser.open(live.address):
            say("no browser could be opened")


@click.command(context_settings=TERMINAL)
@click.argument("asset", required=False)
@click.argument("beside", metavar="[PICTURE]", required=False)
@click.option("--reference", metavar="PICTURE", help="What ASSET was fitted to, shown beside it.")
@VALUES
@TRUST
def view(asset: str | None, beside: str | None, reference: str | None, pairs: tuple[str, ...],
         trust: bool, opened: bool, **place: Any) -> None:  # fmt: skip
    """Show ASSET, or a scene's TOML file, in a browser; or start a fit.

    PICTURE is what it was fitted to, as with --reference.

    Prints the address of the page, which stays until Ctrl-C.

    \b
    neuralshade view photo.nsh --reference photo.png --open
    neuralshade fit material examples/material/antique_copper.toml -o examples/scene/copper.nsh
    neuralshade view examples/scene/tray.toml
    neuralshade view
    neuralshade view photo.nsh --host 0.0.0.0
    """
    check_port(place.get("port"))
    from neuralshade.cli.terminal import show_notes
    from neuralshade.fitting.typed_values import parse_values

    values = parse_values(pairs)
    if asset is None and values:
        raise click.UsageError("got --set without ASSET, need what takes it: name the asset.")
    if asset is None and reference is not None:
        raise click.UsageError("got --reference without ASSET, need what to compare with it: "
                               "name the asset.")  # fmt: skip

    if beside is not None and reference is not None:
        raise click.UsageError("got PICTURE and --reference, need one of them: leave one out.")

    if asset is not None and not asset.endswith(".toml"):
        check_asset(asset)
    from neuralshade.live.live import view as show

    show_notes(quiet=False)
    chosen = {name: value for name, value in place.items() if value is not None}
    with ExitStack() as shown:
        with shown_work("opening the page"):
            live = shown.enter_context(show(asset, reference or beside, values=values,
                                            trust=trust, **chosen))  # fmt: skip
        _print_addresses(live, opened)
        live.wait()


view.params += address_options()
