import { type Answer, type DaemonStage, openDaemonStage, type Puppet } from '../daemon-stage.ts'

/** Two organisations and agents of the first one: one without a seat, and its AR Director. */
export interface AuthorityStage {
  readonly daemon: DaemonStage
  readonly agent: Puppet
  readonly director: Puppet
  /** The persona of `director`. */
  readonly paula: Made
  readonly home: Place
  readonly other: Place
  /** Sends a request as the operator that must succeed. */
  do<Body = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Body>
  /** Returns a name that nothing has yet. */
  name(): string
}

export interface Made {
  readonly slug: string
  readonly personaId: number
}

export interface Place {
  readonly id: number
  readonly slug: string
}

export const isOk = ({ status }: Answer): boolean => status >= 200 && status < 300

export async function openAuthorityStage(): Promise<AuthorityStage> {
  const daemon = await openDaemonStage()
  const act: AuthorityStage['do'] = async (method, path, body) => {
    const answer = await daemon.ask(method, path, body)
    if (!isOk(answer)) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer.body as never
  }
  let names = 0
  const name = (): string => `Name ${++names}`
  try {
    const home = placeOf(await act('GET', '/orgs/1').catch(() => act('GET', '/orgs/development')))
    const other = placeOf(await act('POST', '/orgs', { name: 'Other', purpose: 'rival' }))
    await act('PUT', `/orgs/${other.slug}/settings/governance`, { value: 'advise' })
    const paula = personaOf(await act('POST', '/personas', { name: 'Paula', role: 'ar-director' }))
    await seat(act, home.slug, 'AR Director', 'ar-director', paula.slug)
    const agent = await daemon.puppet()
    const director = await daemon.puppet({ persona: paula.slug })
    return { daemon, agent, director, paula, home, other, do: act, name }
  } catch (error) {
    await daemon.close()
    throw error
  }
}

/** Makes a seat, and seats a persona on it if one is named. */
export async function seat(
  act: AuthorityStage['do'],
  org: string,
  title: string,
  role: string,
  persona?: string,
): Promise<number> {
  const { position_id: id } = await act<{ position_id: number }>('POST', `/orgs/${org}/positions`, { title, role })
  if (persona !== undefined) await act('POST', `/positions/${id}/assignment`, { persona })
  return id
}

export async function makePersona({ do: act, name }: Pick<AuthorityStage, 'do' | 'name'>): Promise<Made> {
  return personaOf(await act('POST', '/personas', { name: name(), role: 'developer' }))
}

/** Returns the document of an organisation with one more seat. */
export async function withSeat({ do: act, name }: AuthorityStage, org: string): Promise<string> {
  const { document } = await act<{ document: string }>('GET', `/orgs/${org}/export`)
  const more = `  - { title: ${name()}, role: developer }\n`
  return document.includes('positions: []')
    ? document.replace('positions: []', `positions:\n${more}`)
    : `${document.trimEnd()}\n${more}`
}

export async function propose(act: AuthorityStage['do'], document: string): Promise<number> {
  const made = await act<{ proposal_id: number }>('POST', '/orgs/proposals', { document, reason: 'Please' })
  return made.proposal_id
}

const placeOf = (body: Record<string, unknown>): Place => ({
  id: body['organisation_id'] as number,
  slug: body['slug'] as string,
})

const personaOf = (body: Record<string, unknown>): Made => ({
  slug: body['slug'] as string,
  personaId: body['persona_id'] as number,
})
