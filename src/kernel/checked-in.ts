/** The places where evidence is checked, as every screen names them. */
export type CheckedIn = 'checkout' | 'copy' | 'workspace' | 'host'

export const checkedInText: Readonly<Record<CheckedIn, string>> = {
  checkout: 'checked in a fresh checkout',
  copy: 'checked in a copy of the workspace',
  workspace: 'checked in the agent’s workspace',
  host: 'checked on the host',
}

const warnings: Readonly<Partial<Record<CheckedIn, string>>> = {
  workspace: 'Checked in the agent’s workspace, not in a fresh checkout: untracked files may have helped',
  host: 'Checked on the host, outside any box, by commands of config.yaml',
}

/** Returns the sentence for a place that proves less than a fresh checkout in a box; null for the others. */
export const checkedInWarning = (place: CheckedIn | null): string | null =>
  place === null ? null : (warnings[place] ?? null)

/** Reports whether a command of a check ran outside any box; one that was not run had none either. */
export const ranOutsideBox = ({ kind, boxed, detail }: { kind: string; boxed: boolean; detail: string }): boolean =>
  ['command', 'git', 'http'].includes(kind) && !boxed && !wasNotRun(detail)

/** Reports whether the result of a check says that its command was not started. */
export const wasNotRun = (detail: string): boolean => detail.startsWith('not run:')

/** Stands at the gate of a run whose agents had no box. */
export const unboxedWarning =
  'Ran without a box: its agents had your rights on this machine and could change everything, also what checks their work'

/** Stands at the gate of a run whose agents had a box, but not the commands that checked their work. */
export const uncheckedBoxWarning = 'Commands that checked it ran without a box, with your rights on this machine'

/** Stands behind an odd change that was accepted by evidence alone. */
export const unseenOdd = 'no verifier was shown this'

/** Reports whether a text contains such a sentence: nothing but a person may then accept the work. */
export const hasCheckWarning = (text: string): boolean =>
  [...Object.values(warnings), unboxedWarning, uncheckedBoxWarning, unseenOdd].some((warning) => text.includes(warning))
