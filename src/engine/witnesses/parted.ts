/**
 * The parts of a file that decide the result of checks, by name. Such a file has other parts, such as dependencies, which an
 * honest change adds to; only these parts are compared and put back.
 */
export type Parts = ReadonlyMap<string, string>

export interface PartedFile {
  /** Returns the parts of a text; null: it cannot be read, so that the file counts as a whole. */
  partsOf(text: string): Parts | null
  /** Returns the text of the work with the parts of the start; parts that the start lacks stay, unless they run by themselves. */
  putBack(text: string, start: string): string
  /** Reports whether a part that the start lacks takes effect although no command names it. */
  runsByItself(name: string, start: Parts): boolean
  /** Reports whether a part of a new file reaches beyond the directory of the file. */
  reachesOut?(name: string): boolean
  /** Names a part, for people. */
  describe(name: string): string
  /** Lists the differences that matter, if not every difference of a part does. */
  differences?(before: Parts, after: Parts): string[]
}

/** Reports whether a program of this name, put before others, would replace one on which checks rest. */
export type IsUsed = (program: string) => boolean
