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

/** Reports whether a text contains such a sentence: nothing but a person may then accept the work. */
export const hasCheckWarning = (text: string): boolean =>
  Object.values(warnings).some((warning) => text.includes(warning))
