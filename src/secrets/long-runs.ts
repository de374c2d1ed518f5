export interface RunPattern {
  readonly isIn: Uint8Array
  readonly minLength: number
}

/** Describes runs of at least so many of these ASCII characters. */
export function runPattern(characters: string, minLength: number): RunPattern {
  const isIn = new Uint8Array(128)
  for (const character of characters) isIn[character.charCodeAt(0)] = 1
  return { isIn, minLength }
}

export const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/**
 * Replaces each run; most texts have few long ones. It looks at the last character of a possible run first and so skips
 * most of a text, where a regular expression would begin at every character.
 */
export function replaceRuns(
  text: string,
  pattern: RunPattern,
  replace: (run: string, start: number) => string,
): string {
  const { isIn, minLength } = pattern
  const has = (at: number): boolean => {
    const code = text.charCodeAt(at)
    return code < 128 && isIn[code] === 1
  }
  let kept = ''
  let done = 0
  let from = 0
  while (from + minLength <= text.length) {
    let at = from + minLength - 1
    while (at >= from && has(at)) at -= 1
    if (at >= from) {
      from = at + 1
      continue
    }
    let end = from + minLength
    while (end < text.length && has(end)) end += 1
    const run = text.slice(from, end)
    const replaced = replace(run, from)
    if (replaced !== run) {
      kept += text.slice(done, from) + replaced
      done = end
    }
    from = end + 1
  }
  return done === 0 ? text : kept + text.slice(done)
}
