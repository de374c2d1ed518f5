import { type Accept, parseAccept } from 'hono/utils/accept'

import { yamlText } from '../operations/yaml.ts'

export type Form = 'stream' | 'yaml' | 'json'

/** The form in which an answer is wanted; JSON unless another is named. */
export function wantedForm(accept: string | undefined, canStream: boolean): Form {
  const accepted = parseAccept((accept ?? '').toLowerCase())
  const yaml = qualityOf(accepted, 'application/yaml')
  const json = qualityOf(accepted, 'application/json')
  const stream = canStream ? qualityOf(accepted, 'text/event-stream') : 0
  if (yaml > Math.max(json, stream)) return 'yaml'
  // JSON only where it is preferred by name: a plain `curl` follows.
  return canStream && (json === 0 || stream >= json) ? 'stream' : 'json'
}

const qualityOf = (accepted: readonly Accept[], type: string): number =>
  accepted.find((each) => each.type === type)?.q ?? 0

/** What goes into a pipe is free of remarks: warnings stand in a header, which holds no letters but Latin ones. */
export function yamlResponse(said: unknown): Response {
  const { warnings = [], ...answer } = said as { warnings?: readonly string[] }
  const headers = new Headers({ 'content-type': 'application/yaml' })
  if (warnings.length > 0) headers.set('agency-warning', warnings.map(encodeURIComponent).join(','))
  return new Response(yamlText(answer), { headers })
}
