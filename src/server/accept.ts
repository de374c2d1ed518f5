import { type Accept, parseAccept } from 'hono/utils/accept'

import { yamlText } from '../operations/yaml.ts'

export type ResponseFormat = 'stream' | 'yaml' | 'json'

/** Returns the format that the Accept header asks for; JSON unless another is named. */
export function acceptedFormat(accept: string | undefined, canStream: boolean): ResponseFormat {
  const accepted = parseAccept((accept ?? '').toLowerCase())
  const yaml = qualityOf(accepted, 'application/yaml')
  const json = qualityOf(accepted, 'application/json')
  const stream = canStream ? qualityOf(accepted, 'text/event-stream') : 0
  if (yaml > Math.max(json, stream)) return 'yaml'
  // JSON only where it is preferred by name: a plain `curl` gets the stream.
  return canStream && (json === 0 || stream >= json) ? 'stream' : 'json'
}

const qualityOf = (accepted: readonly Accept[], type: string): number =>
  accepted.find((each) => each.type === type)?.q ?? 0

/**
 * Returns output as YAML without warnings, so that it can be piped: they are in a header, encoded because a header may
 * contain only Latin letters.
 */
export function yamlResponse(output: unknown): Response {
  const { warnings = [], ...answer } = output as { warnings?: readonly string[] }
  const headers = new Headers({ 'content-type': 'application/yaml' })
  if (warnings.length > 0) headers.set('agency-warning', warnings.map(encodeURIComponent).join(','))
  return new Response(yamlText(answer), { headers })
}
