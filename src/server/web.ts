import { readFile } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'

import type { Hono } from 'hono'

import { refusal } from '../kernel/errors.ts'
import { shorten } from '../kernel/text.ts'
import type { RequestEnv } from './context.ts'
import { isSafe } from './guards.ts'
import { problemResponse } from './problem.ts'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
}

/** Serves the dashboard: its files, and its index page for every path that is not a file. */
export function serveWeb(app: Hono<RequestEnv>, webRoot: string | null): void {
  app.all('*', async (c) => {
    if (!isSafe(c.req.method))
      return problemResponse(refusal('unsupported', `${c.req.method} is not supported at this path`), {
        status: 405,
        headers: { allow: 'GET, HEAD' },
      })
    const { pathname } = new URL(c.req.url)
    const file = webRoot === null ? undefined : await readAsset(webRoot, pathname)
    if (file !== undefined) return file
    // A missing script answered with a page would only fail later, with a less clear error.
    if (extname(pathname) !== '') return problemResponse(refusal('not_found', `no file ${shorten(pathname, 100)}`))
    const index = webRoot === null ? undefined : await readAsset(webRoot, '/index.html')
    return index ?? notBuilt()
  })
}

async function readAsset(root: string, pathname: string): Promise<Response | undefined> {
  const type = types[extname(pathname)]
  if (type === undefined) return undefined
  const path = decoded(pathname)
  // `normalize` of an absolute path cannot leave its root.
  if (path === undefined || path.includes('\0')) return undefined
  try {
    const bytes = await readFile(join(root, normalize(`/${path}`)))
    // The file's name changes with its content, so a browser never has to request it again.
    const isHashed = /^\/assets\/.+-[\w-]{8,}\.\w+$/.test(pathname)
    return new Response(bytes, {
      headers: {
        'content-type': type,
        'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      },
    })
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR' || code === 'ENAMETOOLONG') return undefined
    throw error
  }
}

function decoded(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return undefined
  }
}

const notBuilt = (): Response =>
  page(
    200,
    'Agency is running',
    '<p>The dashboard has not been built. Run <code>npm run build</code>, then load this page again.</p>',
  )

export const page = (status: number, title: string, body: string): Response =>
  new Response(
    `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n<title>${title} · Agency</title>\n<main>\n<h1>${title}</h1>\n${body}\n</main>\n</html>\n`,
    { status, headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' } },
  )
