import { expect, it } from 'vitest'

import { isGlob, matchesGlob } from './glob.ts'

it.each<[string, readonly string[], readonly string[]]>([
  ['src/cart.js', ['src/cart.js'], ['src/cart.jsx', 'lib/src/cart.js', 'src/cartxjs']],
  ['./src/', ['src/cart.js', 'src/a/b.js', 'src'], ['srcs/a.js', 'test/src/a.js']],
  ['src/*.js', ['src/cart.js'], ['src/a/cart.js', 'src/cart.ts']],
  ['src/**', ['src/cart.js', 'src/a/b.js'], ['test/a.js']],
  ['src/**/*.js', ['src/cart.js', 'src/a/b/c.js'], ['src/a.ts']],
  ['**/*.test.js', ['a.test.js', 'src/a.test.js'], ['src/a.js']],
  ['{src,lib}/a?.js', ['src/ab.js', 'lib/a1.js'], ['test/ab.js', 'src/a.js']],
  ['*', ['a', 'src/b.js'], []],
  ['.', ['a', 'src/b.js'], []],
  ['a(b)[c]', ['a(b)[c]', 'a(b)c'], ['abc', 'a(b)d']],
  ['checks/[a-z]*', ['checks/a1', 'checks/b'], ['checks/1', 'checks/A']],
  ['[!a]b[', ['cb['], ['ab[']],
  ['pages/[id]/a.js', ['pages/[id]/a.js'], ['pages/x/a.js']],
  ['[z-a]', ['[z-a]'], ['z']],
  ['{a', ['{a'], ['a']],
])('matches %s with the right paths', (pattern, right, wrong) => {
  expect(right.filter((path) => !matchesGlob(pattern, path))).toEqual([])
  expect(wrong.filter((path) => matchesGlob(pattern, path))).toEqual([])
})

it('knows patterns that would take too long', () => {
  expect(['src/**/*.{js,ts}', '**/**/**/**/**/**/**/**/a', '*/*/*/*/*/*'].every(isGlob)).toBe(true)
  expect(isGlob('*a*a*a*a*a*a*a*a')).toBe(false)
})
