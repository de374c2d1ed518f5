import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { randomToken } from '../kernel/ids.ts'
import type { Credentials } from '../server/credentials.ts'
import type { SignInLink } from './contract.ts'
import type { HomePaths } from './home.ts'

export interface Addresses {
  /** `http://a1b2c3.localhost:7717` */
  readonly dashboard: string
  /** `http://127.0.0.1:7717` */
  readonly address: string
}

/**
 * Creates sign-in links. A link in the arguments of a browser can be read by every user of the machine, so the browser
 * gets the path of a file that only its owner can read. It is removed as soon as the link is used or has expired.
 */
export function createSignInLinks(
  paths: HomePaths,
  credentials: Pick<Credentials, 'createLink'>,
  addresses: () => Addresses,
) {
  rmSync(paths.links, { recursive: true, force: true })
  return (path: string, { file: wantsFile }: { file: boolean }): SignInLink => {
    const file = wantsFile ? join(paths.links, `${randomToken()}.html`) : null
    const forget = (): void => (file === null ? undefined : rmSync(file, { force: true }))
    const { code, expiresAt } = credentials.createLink(path, forget)
    const { dashboard, address } = addresses()
    const [url, numericUrl] = [`${dashboard}/enter?code=${code}`, `${address}/enter?code=${code}`]
    if (file !== null) {
      mkdirSync(paths.links, { recursive: true, mode: 0o700 })
      writeFileSync(file, redirectPage(url, numericUrl), { mode: 0o600, flag: 'wx' })
    }
    return { url, numericUrl, expiresAt, file }
  }
}

/** Both addresses consist of letters, digits and harmless signs only. */
const redirectPage = (url: string, numericUrl: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${url}">
<title>Agency</title>
<p><a href="${url}">Sign in to Agency</a></p>
<p>If the browser does not find that address, use <a href="${numericUrl}">the numeric one</a>.</p>
</html>
`
