import { expect, it } from 'vitest'

import { growthOf } from '../../../test/support/growth.ts'
import { failureIn } from './output.ts'
import { isSameOutput } from '../../work/evidence/same-output.ts'

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

it('compares outputs in a time in proportion to their length', () => {
  const compare = (part: string) => (size: number) => void isSameOutput(part.repeat(size / part.length) + 'x', 'y')
  for (const part of ['1', '1.', '/a', 'a1', ' ']) expect(growthOf(compare(part), 10_000), part).toBeLessThan(10)
  expect(isSameOutput('took 1.5 s at 10:20', 'took 22 s at 9:05')).toBe(true)
})
