import { refusal } from '../../kernel/errors.ts'
import { slug } from '../../kernel/text.ts'
import type { Mission } from '../missions/contract.ts'

export const categories = ['coding', 'research', 'design'] as const

/** `coding/webapp/app1` → where that is below the workspace root; without a path, one made of the mission. */
export function placeFor(mission: Pick<Mission, 'id' | 'title' | 'tags'>, path: string | undefined): string {
  if (path === undefined) {
    const category = categories.find((name) => mission.tags.includes(name)) ?? 'coding'
    return `missions/${category}/${slug(mission.title).slice(0, 60).replace(/-+$/, '') || mission.id}`
  }
  const names = path
    .replace(/^missions\//, '')
    .replace(/\/+$/, '')
    .split('/')
  if (names.length < 2 || names.length > 3 || !names.every((name) => plainName.test(name)))
    throw refusal('invalid_input', `"${path}" cannot be the path of a workspace`, {
      hint: 'Give <category>/<slug> or <category>/<kind>/<slug>, each of letters, digits, - and _.',
    })
  return `missions/${names.join('/')}`
}

/** Without a dot: `<workspace>.home` is its HOME. */
const plainName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

export const categoryOf = (path: string): string => path.split('/')[1] as string

/** The first of `app1`, `app1-2`, `app1-3` … that nobody has. */
export async function firstFree(path: string, isFree: (path: string) => Promise<boolean>): Promise<string> {
  for (let number = 1; number < 1_000; number += 1) {
    const candidate = number === 1 ? path : `${path}-${number}`
    if (await isFree(candidate)) return candidate
  }
  throw refusal('conflict', `a thousand workspaces are called "${path}"`, { hint: 'Give another path.' })
}
