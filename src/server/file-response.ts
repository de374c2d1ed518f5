import type { FileAnswer } from '../operations/contract.ts'

/**
 * Answers with a file of an untrusted author. A browser only downloads it; opened in any other way it is a page without
 * scripts, without requests and without an origin, so that it reaches neither the API nor the pages of the dashboard.
 */
export function fileResponse({ name, bytes, sha256, content }: FileAnswer): Response {
  return new Response(bodyOf(content), {
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(bytes),
      'content-disposition': dispositionOf(name),
      'content-security-policy':
        "default-src 'none'; sandbox; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      etag: `"${sha256}"`,
    },
  })
}

/** Reads nothing ahead of the client: a slow one costs a part of the file, not all of it. */
function bodyOf(content: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const parts = content[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      async pull(stream) {
        const { done, value } = await parts.next()
        if (done === true) stream.close()
        else stream.enqueue(value)
      },
      async cancel() {
        await parts.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

/**
 * Names the file without anything that could end the header, lead to another folder, or make a name look like another
 * one: controls, invisible characters and the marks that turn the direction of writing become "_".
 */
export function dispositionOf(path: string): string {
  const name = (path.split(/[/\\]/).at(-1) ?? '').toWellFormed().replace(unsafe, '_').replace(/^\.+$/, '')
  const shown = [...name].slice(0, 150).join('') || 'file'
  const ascii = shown.replace(/[^\x20-\x7e]|["%\\]/g, '_')
  const encoded = encodeURIComponent(shown).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}<>:;"|?*]/gu
