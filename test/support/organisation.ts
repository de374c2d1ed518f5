import type { TestDaemon } from './daemon.ts'

export interface MadeOrganisation {
  slug: string
  /** Position ids by title. */
  seats: Record<string, number>
}

/** Imports a document and returns the organisation's slug and position ids. */
export async function importOrganisation(daemon: TestDaemon, document: string): Promise<MadeOrganisation> {
  const { organisation_id: id } = await daemon.ask<{ organisation_id: number }>('POST', '/orgs/import', { document })
  const { organisations } = await daemon.ask<{ organisations: { organisation_id: number; slug: string }[] }>(
    'GET',
    '/orgs',
  )
  const slug = organisations.find((each) => each.organisation_id === id)?.slug ?? ''
  const { seats } = await daemon.ask<{ seats: { title: string; position_id: number }[] }>('GET', `/orgs/${slug}/chart`)
  return { slug, seats: Object.fromEntries(seats.map((seat) => [seat.title, seat.position_id])) }
}

/**
 * Builds a document with one seat at the top and `span` under each: some escalate past their manager, some are cross-
 * cutting.
 */
export function company(name: string, count: number, span = 7): string {
  const title = (index: number): string => `Seat ${String(index + 1).padStart(4, '0')}`
  const seats = Array.from({ length: count }, (_, index) => {
    const above = index === 0 ? null : title(Math.floor((index - 1) / span))
    const level = Math.floor(Math.log(index * (span - 1) + 1) / Math.log(span) + 1e-9) + 1
    const escalates = index % 9 === 5 ? title(0) : above
    return [
      `  - title: ${title(index)}`,
      '    role: developer',
      `    level: ${level}`,
      `    reports_to: ${above ?? 'null'}`,
      `    escalates_to: ${escalates ?? 'null'}`,
      `    is_cross_cutting: ${index % 50 === 7}`,
    ].join('\n')
  })
  return `organisation:\n  name: ${name}\n  purpose: trial\npositions:\n${seats.join('\n')}\n`
}
