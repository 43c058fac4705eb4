"""The page of exercises, and how exercises are marked."""

import exercises
import pytest
from chapters import CHAPTERS, prose
from contents import name

TEXT = """
```{exercise} Sum of two *(pencil, 10 minutes)*
:label: ex-sum
```
```{solution} ex-sum
```
````{exercise} Plot it *(computer, 30 minutes, open)*
:label: ex-plot
````
```{exercise} Promised *(pencil, 5 minutes)*
:label: ex-promised
```
```{exercise} Betrayed *(open)*
:label: ex-betrayed
```
```{solution-start} ex-betrayed
```
"""


def test_what_is_said_of_an_exercise():
    assert list(exercises.exercises(TEXT)) == [
        ("Sum of two", "ex-sum", "pencil", "10", "yes"),
        ("Plot it", "ex-plot", "computer", "30", "open"),
        ("Promised", "ex-promised", "pencil", "5", None),
        ("Betrayed", "ex-betrayed", None, None, None),
    ]


def test_the_page_is_up_to_date():
    assert exercises.PAGE.read_text("utf-8").strip() == exercises.page().strip(), "say make exercises"


@pytest.mark.parametrize("path", CHAPTERS, ids=name)
def test_exercises_say_what_they_take_and_are_solved_or_open(path):
    found = list(exercises.exercises(prose(path)))
    for title, _, means, minutes, solution in found:
        assert solution, f"{title}: neither solved nor open, or both"
        assert solution == "open" or (means and minutes), f"{title}: pencil or computer, how many minutes?"
    assert prose(path).count("{exercise}") == len(found)
