import type { PartedFile } from './parted.ts'

/** Reports whether a requirement names a file, an address or an option; a plain one names a package of the registry. */
export const isOwnRequirement = (line: string): boolean =>
  /^-|^[./~]|\.(?:whl|zip|tar\.\w+)\b|\s?@\s|:\/\/|^file:/.test(line)

/** requirements.txt: the lines that do not name a package of the registry. */
export const requirementsFile: PartedFile = {
  partsOf: (text) =>
    new Map(
      requirementsIn(text)
        .filter(isOwnRequirement)
        .map((line) => [line, line]),
    ),
  putBack: (text, start) =>
    [
      ...requirementsIn(text).filter((line) => !isOwnRequirement(line)),
      ...requirementsIn(start).filter(isOwnRequirement),
      '',
    ].join('\n'),
  runsByItself: () => true,
  reachesOut: () => true,
  describe: (line) => `the line "${line}"`,
}

const requirementsIn = (text: string): string[] =>
  text
    .replace(/\\\r?\n/g, ' ')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '')
