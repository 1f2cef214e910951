#!/usr/bin/env python3
"""Prints the twenty slowest tests of event streams (swift test --event-stream-output-path).

  slowest.py WIDTH FILE...

The time of a test is that of its slowest case, from the beginning of the case. The stream reports
the beginning of a case only for tests with arguments. All other tests are reported as started at
once, and then wait until fewer than WIDTH tests run. The script estimates their beginning as if
they ran in the order of the reports, although tests that wait may overtake each other. The last
line counts the tests over twenty seconds, which belong in the section `long`.
"""
import collections
import json
import sys

LIMIT = 20.0


def records(path):
    with open(path, encoding='utf-8', errors='replace') as lines:
        for line in lines:
            try:
                yield json.loads(line)
            except ValueError:
                continue  # The last line of a run that was ended may be incomplete.


def cases(path, width):
    """Yields the test and the seconds of each case that ended."""
    tests, case_count, events = {}, collections.Counter(), []
    for record in records(path):
        payload = record['payload']
        if record['kind'] == 'test' and payload['kind'] == 'function':
            tests[payload['id']] = payload
        elif record['kind'] == 'event' and payload.get('testID') in tests:
            events.append(payload)
            case_count[payload['testID']] += payload['kind'] == 'testCaseStarted'
    # `guessed`: tests without arguments that probably run, in the order of their beginning.
    waiting, begun, guessed = collections.OrderedDict(), {}, []

    def take_back():
        """Undoes the last guess: that test still waits. Returns its supposed beginning."""
        test = guessed.pop()
        waiting[test] = None
        waiting.move_to_end(test, last=False)
        return begun.pop((test, None))

    for event in events:
        kind, test, now = event['kind'], event['testID'], event['instant']['absolute']
        case = test, event.get('_testCase', {}).get('id')
        if kind == 'testStarted' and not case_count[test]:
            waiting[test] = None
        elif kind == 'testCaseStarted':
            begun[case] = now
            if len(begun) > width and guessed:
                take_back()
        elif kind == 'testCaseEnded' or (kind == 'testEnded' and not case_count[test]):
            if case in begun:
                yield tests[test], now - begun.pop(case)
                if test in guessed:
                    guessed.remove(test)
            elif test in waiting:
                # It began out of order, at the latest when the last guessed test seemed to begin.
                del waiting[test]
                yield tests[test], now - take_back() if guessed else 0.0
        while len(begun) < width and waiting:
            test, _ = waiting.popitem(last=False)
            begun[test, None] = now
            guessed.append(test)


def main(width, paths):
    found = {}
    for path in paths:
        for test, seconds in cases(path, width):
            found.setdefault(test['id'], (test, []))[1].append(seconds)
    rows = sorted(found.values(), key=lambda row: max(row[1]), reverse=True)
    for test, seconds in rows[:20]:
        more = f' (slowest of {len(seconds)}, {sum(seconds):.0f} s in all)' if len(seconds) > 1 else ''
        suite = test['id'].split('/')[0]
        print(f"{max(seconds):7.1f} s  {suite}: {test.get('displayName', test['name'])}{more}")
    print(f'{sum(max(row[1]) > LIMIT for row in rows)} of {len(rows)} tests took over {LIMIT:.0f} s')


if __name__ == '__main__':
    main(int(sys.argv[1]), sys.argv[2:])
