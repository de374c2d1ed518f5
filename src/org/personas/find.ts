import type { ReadTx } from '../../db/port.ts'
import { notFound, refusal } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { fold } from '../../kernel/text.ts'
import { findPersonaBySlug, listPersonas, type Persona } from './store.ts'

/** Finds a persona by slug, or by a name that only one has; case does not matter. */
export async function resolvePersona(tx: ReadTx, reference: string): Promise<Persona> {
  const wanted = fold(reference.trim())
  const bySlug = await findPersonaBySlug(tx, wanted)
  if (bySlug !== undefined) return bySlug
  const all = await listPersonas(tx)
  const named = all.filter((each) => fold(each.name) === wanted)
  if (named[0] !== undefined && named.length === 1) return named[0]
  if (named.length > 1) {
    const slugs = named.map((each) => each.slug)
    throw refusal('conflict', `several personas are called "${reference}": ${slugs.join(', ')}`, {
      hint: 'Give the slug instead.',
      data: { slugs },
    })
  }
  const guess = nearest(
    reference,
    all.flatMap((each) => [each.slug, each.name]),
  )
  throw notFound(
    'persona',
    reference,
    guess === null ? 'List them with "agency org persona list --all".' : `Did you mean "${guess}"?`,
  )
}
