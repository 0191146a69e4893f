"""`kipwatch selftest`: one labelled test alert through every target, so that a wrong address is found by day."""

import time

from conf.settings import AlertsConf
from jobs.alerts.sender import targets_of
from jobs.alerts.targets import NotSentError
from transforms.diagnose.notices import selftest_notice
from transforms.errors import BadInput


def send_tests(conf: AlertsConf) -> dict[str, str]:
    """What each target answered, by its name.

    Raises: BadInput where there is no target, or one of them did not take the alert.
    """
    targets = targets_of(conf)
    if not targets:
        raise BadInput("is empty", where="alerts.targets", todo="name a target in your settings (--conf)")
    answers = {}
    for target in targets:
        try:
            answers[target.name] = target.send(selftest_notice(target.name, int(time.time() * 1000)), "")
        except NotSentError as refused:
            raise BadInput(
                f"did not take the test alert ({refused})",
                where=f"alerts.targets.{target.name}",
                todo="mend its address, or see what it logs",
            ) from None
    return answers
