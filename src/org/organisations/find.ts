import type { ReadTx } from '../../db/port.ts'
import { type AgencyError, notFound, refusal } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { fold } from '../../kernel/text.ts'
import {
  findOrganisation,
  findOrganisationBySlug,
  listFormerSlugs,
  listOrganisations,
  type Organisation,
} from './store.ts'

/** Finds an organisation by number or slug, or by a name that only one has; case does not matter. */
export async function resolveOrganisation(tx: ReadTx, reference: string): Promise<Organisation> {
  const wanted = fold(reference.trim())
  const byNumber = /^[1-9]\d{0,14}$/.test(wanted) ? await findOrganisation(tx, Number(wanted)) : undefined
  if (byNumber !== undefined) return byNumber
  const bySlug = await findOrganisationBySlug(tx, wanted)
  if (bySlug !== undefined) return bySlug
  const all = await listOrganisations(tx)
  const named = all.filter((each) => fold(each.name) === wanted)
  if (named[0] !== undefined && named.length === 1) return named[0]
  if (named.length > 1) throw ambiguous(reference, named)
  throw await unknown(tx, reference, wanted, all)
}

function ambiguous(reference: string, named: readonly Organisation[]): AgencyError {
  const slugs = named.map((each) => each.slug)
  return refusal('conflict', `several organisations are called "${reference}": ${slugs.join(', ')}`, {
    hint: 'Give the slug instead.',
    data: { slugs },
  })
}

async function unknown(
  tx: ReadTx,
  reference: string,
  wanted: string,
  all: readonly Organisation[],
): Promise<AgencyError> {
  // A slug ends in the organisation's id, which never changes.
  const id = Number(/-(\d{1,15})$/.exec(wanted)?.[1] ?? 0)
  const renamed = all.find((each) => each.id === id)
  if (renamed !== undefined && (await listFormerSlugs(tx, id)).includes(wanted))
    return refusal('not_found', `no organisation "${reference}"; it was renamed to ${renamed.slug}`, {
      hint: `Use ${renamed.slug}.`,
      data: { slug: renamed.slug },
    })
  const guess = nearest(
    reference,
    all.flatMap((each) => [each.slug, each.name]),
  )
  return notFound(
    'organisation',
    reference,
    guess === null ? 'List them with "agency org list --all".' : `Did you mean "${guess}"?`,
  )
}
