import { yamlText } from '../operations/yaml.ts'

export type Form = 'stream' | 'yaml' | 'json'

/** The form in which an answer is wanted; JSON unless another is named. */
export function wantedForm(accept: string | undefined, canStream: boolean): Form {
  const yaml = quality(accept, 'application/yaml')
  const json = quality(accept, 'application/json')
  const stream = canStream ? quality(accept, 'text/event-stream') : 0
  if (yaml > Math.max(json, stream)) return 'yaml'
  // JSON only where it is preferred by name: a plain `curl` follows.
  return canStream && (json === 0 || stream >= json) ? 'stream' : 'json'
}

function quality(accept: string | undefined, type: string): number {
  for (const part of (accept ?? '').toLowerCase().split(',')) {
    const [name, ...parameters] = part.split(';').map((text) => text.trim())
    if (name !== type) continue
    const q = parameters.find((parameter) => parameter.startsWith('q='))
    return q === undefined ? 1 : Number(q.slice(2)) || 0
  }
  return 0
}

/** What goes into a pipe is free of remarks: warnings stand in a header, which holds no letters but Latin ones. */
export function yamlResponse(said: unknown): Response {
  const { warnings = [], ...answer } = said as { warnings?: readonly string[] }
  const headers = new Headers({ 'content-type': 'application/yaml' })
  if (warnings.length > 0) headers.set('agency-warning', warnings.map(encodeURIComponent).join(','))
  return new Response(yamlText(answer), { headers })
}
