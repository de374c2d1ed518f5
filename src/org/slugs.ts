import { refusal } from '../kernel/errors.ts'
import { slug } from '../kernel/text.ts'

const longest = 128

export const organisationSlug = (purpose: string, name: string, id: number): string => {
  if (slug(purpose) === '') throw unusable('purpose', purpose)
  return joined(purpose, name, id)
}

/** A role without any letter from a to z is left out: a persona is found by its name and id. */
export const personaSlug = (role: string, name: string, id: number): string => joined(role, name, id)

/** Refuses a name from which no slug can be made, before anything is written. */
export function checkName(name: string): void {
  if (slug(name) === '') throw unusable('name', name)
}

function joined(before: string, name: string, id: number): string {
  checkName(name)
  const head = slug(before)
  const start = head === '' ? '' : `${head}-`
  const end = `-${id}`
  const middle = slug(name)
    .slice(0, longest - start.length - end.length)
    .replace(/-+$/, '')
  return `${start}${middle}${end}`
}

const unusable = (field: string, text: string) =>
  refusal('invalid_input', `${field}: "${text}" has no letter from a to z and no digit, so no slug can be made`, {
    hint: 'Slugs name directories: add a word with letters from a to z.',
  })
