import type { Plugin } from 'rolldown'

/**
 * Replaces `import … from 'node:fs'`, for which Node creates a module namespace with every export of `fs` and runs its
 * getters, by `process.getBuiltinModule`, which costs a tenth. This saves a third of the command line's start
 * time; for `node:http` of the daemon it saves loading all of undici.
 */
export const builtInsByName: Plugin = {
  name: 'built-ins-by-name',
  resolveId: (id) => (id.startsWith('node:') ? `\0${id}` : null),
  load(id) {
    if (!id.startsWith('\0node:')) return null
    const name = id.slice(1)
    const all = Object.keys(process.getBuiltinModule(name) ?? {})
    const named = all.filter((each) => each !== 'default' && /^[A-Za-z_]\w*$/.test(each))
    const code = [
      `const found = /*#__PURE__*/ process.getBuiltinModule('${name}')`,
      'export default found',
      'const pick = (name) => found[name]',
      ...named.map((each, at) => `const v${at} = /*#__PURE__*/ pick('${each}')\nexport { v${at} as ${each} }`),
    ]
    return { code: code.join('\n'), moduleSideEffects: false }
  },
}

/**
 * Replaces `node:http2` in the server's library, which only asks whether a request is one of HTTP/2. Our servers speak
 * HTTP/1 alone, and loading the module takes a tenth of the daemon's start.
 */
export const withoutHttp2: Plugin = {
  name: 'without-http2',
  resolveId: (id, importer) =>
    id === 'node:http2' && importer?.includes('/@hono/node-server/') === true ? '\0without-http2' : null,
  load: (id) => (id === '\0without-http2' ? 'export class Http2ServerRequest {}\nexport const constants = {}' : null),
}
