/**
 * Reports whether a path is one of those that a pattern names: a path, a directory with everything below it, or a glob
 * relative to the top, where `*` stands for a part of a name, `**` for any number of directories, `{a,b}` for either,
 * `[a-z]` for one of these letters, or for itself: a directory may have such a name.
 */
export function matchesGlob(pattern: string, path: string): boolean {
  const plain = plainPattern(pattern)
  return plain === '' || new RegExp(`^${expressionOf(plain)}(?:/.*)?$`, 's').test(path)
}

/** Each further `*` multiplies the time of a comparison by the length of the path. */
const maxStars = 6

/** Reports whether a pattern can be compared in time; agents write patterns too. */
export const isGlob = (pattern: string): boolean => (plainPattern(pattern).match(/\*+/g)?.length ?? 0) <= maxStars

const plainPattern = (pattern: string): string =>
  pattern
    .replace(/^(?:\.?\/)+|^\.$/, '')
    .replace(/(?<!\/)\/+$/, '')
    .replace(/(?:\*\*\/)+/g, '**/')

function expressionOf(pattern: string): string {
  let expression = ''
  let depth = 0
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern.charAt(at)
    if (pattern.startsWith('**/', at)) {
      expression += '(?:[^/]+/)*'
      at += 2
    } else if (pattern.startsWith('**', at)) {
      expression += '.*'
      at += 1
    } else if (letter === '*') expression += '[^/]*'
    else if (letter === '?') expression += '[^/]'
    else if (letter === '[' && classAt(pattern, at) !== null) {
      const found = classAt(pattern, at) as string
      const letters = found
        .slice(1, -1)
        .replace(/^!/, '^')
        .replace(/[\\[\]]/g, String.raw`\$&`)
      expression += `(?:(?!/)[${letters}]|${escaped(found)})`
      at += found.length - 1
    } else if (letter === '{' && pattern.includes('}', at)) {
      expression += '(?:'
      depth++
    } else if (letter === '}' && depth > 0) {
      expression += ')'
      depth--
    } else if (letter === ',' && depth > 0) expression += '|'
    else expression += escaped(letter)
  }
  return `${expression}${')'.repeat(depth)}`
}

/** Returns the class of letters that begins here; null: there is none. */
const classAt = (pattern: string, at: number): string | null => {
  const found = /^\[!?(?:[^\]/-]|[^\]/-]-[^\]/-])+\]/.exec(pattern.slice(at))?.[0] ?? null
  const isInOrder = [...(found ?? '').matchAll(/(.)-(.)/gs)].every(([, from = '', to = '']) => from <= to)
  return isInOrder ? found : null
}

const escaped = (text: string): string => text.replace(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`)
