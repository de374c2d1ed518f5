import { type Draft, emptyDraft } from './draft.ts'

/** Each address has a draft of its own: a prefilled form does not replace one that was begun before. */
const nameOf = (search: string): string => `agency.new-run${search}`

/** Returns the draft of this tab, which outlives a reload. */
export function loadDraft(search: string): Draft | null {
  try {
    const stored = JSON.parse(sessionStorage.getItem(nameOf(search)) ?? 'null') as Partial<Draft> | null
    if (stored === null || typeof stored.key !== 'string') return null
    return { ...emptyDraft(stored.key), ...stored }
  } catch {
    return null
  }
}

export function saveDraft(search: string, draft: Draft): void {
  try {
    sessionStorage.setItem(nameOf(search), JSON.stringify(draft))
  } catch {
    // The storage of the tab is full: the form still works, and only a reload would lose it.
  }
}

export const forgetDraft = (search: string): void => sessionStorage.removeItem(nameOf(search))
