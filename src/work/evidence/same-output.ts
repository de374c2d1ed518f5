/** Reports whether two outputs are the same but for paths, hashes, times and counts. */
export const isSameOutput = (one: string, other: string): boolean => normaliseOutput(one) === normaliseOutput(other)

/** Returns an output without colours, and with marks in place of paths, hashes, times and counts. */
export const normaliseOutput = (output: string): string =>
  output
    // oxlint-disable-next-line no-control-regex -- Colours of a terminal begin with a control character.
    .replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '')
    .replace(/(?:\/[\w.@+%~-]+){2,}\/?/g, '<path>')
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{7,}\b/gi, '<hash>')
    // It looks behind, so that a long row of digits is read once and not from each of them.
    .replace(/(?<!\d|\d[.,:])\d+(?:[.,:]\d+)*\s?(?:ms|s|sec|seconds?|m|min|minutes?)?\b/g, '<n>')
    .replace(/\s+/g, ' ')
    .trim()
