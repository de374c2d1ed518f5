import { notFound, refusal } from '../kernel/errors.ts'
import type { Files } from './files.ts'
import { type ParsedIntent, parseIntent } from './intent.ts'
import type { Organisation } from './organisations/store.ts'
import { hasFiles } from './personas/kinds.ts'
import type { Persona } from './personas/store.ts'
import { organisationPath, personaPath } from './paths.ts'

type PoolText = (persona: Persona) => Promise<string>

/** The current texts of the files of organisations and personas. */
export interface Contents {
  readIntent(organisation: Pick<Organisation, 'slug'>): Promise<ParsedIntent & { text: string }>
  /** `poolText` replaces the default source of pool texts, for callers with a pool of their own. */
  readSkill(persona: Persona, poolText?: PoolText): Promise<string>
  readExperience(persona: Persona): Promise<string>
}

/** Creates the reader. `ofPool` provides the skill of a pool persona that has no file of its own yet. */
export function createContents(files: Files, ofPool?: PoolText): Contents {
  const readOf = async (
    persona: Persona,
    name: 'skill.md' | 'experience.md',
    poolText: PoolText | undefined = ofPool,
  ): Promise<string> => {
    checkHasFiles(persona)
    const text = await files.read(personaPath(persona.slug, name))
    if (text === null && persona.origin === 'pool' && poolText !== undefined)
      return name === 'skill.md' ? poolText(persona) : ''
    if (text === null)
      throw notFound('file', personaPath(persona.slug, name), 'Write a new one, or restore it from a copy.')
    return text
  }
  return {
    async readIntent({ slug }) {
      const path = organisationPath(slug, 'intent.md')
      const text = await files.read(path)
      if (text === null) throw notFound('file', path, `Write one: agency org intent write --org ${slug}`)
      return { text, ...parseIntent(text) }
    },
    readSkill: (persona, poolText) => readOf(persona, 'skill.md', poolText),
    readExperience: (persona) => readOf(persona, 'experience.md'),
  }
}

export function checkHasFiles(persona: Persona): void {
  if (hasFiles(persona)) return
  throw refusal('unsupported', `${persona.slug} has no skill.md and no experience.md: only agents have them`)
}
