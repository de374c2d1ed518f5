import { expect, it } from 'vitest'

import { failureIn } from './output.ts'

const tap = `not ok 1 - adds prices
  ---
  error: '0 == 3'
  name: 'AssertionError'
  expected: 3
  actual: 0
  operator: '=='
  stack: |-
    Test.run (node:internal/test_runner/test:796:25)
  ...
1..1
# fail 1
# duration_ms 548.8
npm notice New minor version of npm available! 11.19.1 -> 11.21.1
npm notice`

const pytest = `    def test_total():
>       assert total([1, 2]) == 3
E       assert 0 == 3
test_cart.py:4: AssertionError
FAILED test_cart.py::test_total - assert 0 == 3
1 failed in 0.02s`

it.each([
  ['stacks and totals', tap, "name: 'AssertionError' / expected: 3 / actual: 0"],
  [
    'an assertion of pytest',
    pytest,
    'test_cart.py:4: AssertionError / FAILED test_cart.py::test_total - assert 0 == 3 / 1 failed in 0.02s',
  ],
  ['no failure', 'one\n\ntwo\nthree\nfour\n', 'two / three / four'],
  ['nothing', '\n', ''],
])('the end of an output with %s is the lines that tell most', (_what, output, end) => {
  expect(failureIn(output)).toBe(end)
})
