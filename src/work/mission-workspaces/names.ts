import { refusal } from '../../kernel/errors.ts'
import { slug } from '../../kernel/text.ts'
import type { Mission } from '../missions/contract.ts'

export const categories = ['coding', 'research', 'design'] as const

/** Returns the path below the workspace root for `coding/webapp/app1`; without a path, one derived from the mission. */
export function workspacePath(mission: Pick<Mission, 'id' | 'title' | 'tags'>, path: string | undefined): string {
  if (path === undefined) {
    const category = categories.find((name) => mission.tags.includes(name)) ?? 'coding'
    return `missions/${category}/${slug(mission.title).slice(0, 60).replace(/-+$/, '') || mission.id}`
  }
  const names = path
    .replace(/^missions\//, '')
    .replace(/\/+$/, '')
    .split('/')
  if (names.length < 2 || names.length > 3 || !names.every((name) => plainName.test(name)))
    throw refusal('invalid_input', `"${path}" is not a valid workspace path`, {
      hint: 'Use <category>/<slug> or <category>/<kind>/<slug>, each of letters, digits, - and _.',
    })
  return `missions/${names.join('/')}`
}

/** Names have no dot, because `<workspace>.home` is the HOME of a workspace. */
const plainName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

export const categoryOf = (path: string): string => path.split('/')[1] as string

/** Returns the first free path of `app1`, `app1-2`, `app1-3` … */
export async function firstFree(path: string, isFree: (path: string) => Promise<boolean>): Promise<string> {
  for (let number = 1; number < 1_000; number += 1) {
    const candidate = number === 1 ? path : `${path}-${number}`
    if (await isFree(candidate)) return candidate
  }
  throw refusal('conflict', `a thousand workspaces already have the path "${path}"`, { hint: 'Choose another path.' })
}
