import { ApiError, apiErrorOf } from '../src/operations/problem.ts'
import { pageHeader } from '../src/sessions/contract.ts'
import { after } from './clock.ts'

/**
 * The second secret of a signed-in browser. A cookie goes to every port of its host; this secret stays within the origin,
 * in the storage of one tab. Tabs of the same origin give it to each other.
 */
const key = 'agency.page'
let secret: string | null = null

type Message = { readonly kind: 'ask' } | { readonly kind: 'secret'; readonly secret: string | null }

let channel: BroadcastChannel | null = null
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- A channel belongs to one origin.
const post = (message: Message): void => channel?.postMessage(message)
let answered = (): void => {}

function open(): void {
  secret = sessionStorage.getItem(key)
  channel = new BroadcastChannel('agency-session')
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'secret') {
      keep(data.secret)
      answered()
    } else if (secret !== null) post({ kind: 'secret', secret })
  })
}

function keep(next: string | null): void {
  secret = next
  if (next === null) sessionStorage.removeItem(key)
  else sessionStorage.setItem(key, next)
}

export const sessionHeaders = (): Record<string, string> => (secret === null ? {} : { [pageHeader]: secret })

/** Other tabs answer within milliseconds, unless the browser has suspended them. */
const askMs = 300

/** Asks the other tabs for the secret; resolves to true if this tab has another one than before. */
export async function askOtherTabs(): Promise<boolean> {
  const before = secret
  await new Promise<void>((resolve) => {
    const cancel = after(askMs, resolve)
    answered = () => {
      cancel()
      resolve()
    }
    post({ kind: 'ask' })
  })
  return secret !== before && secret !== null
}

/** Forgets the secret in every tab of this browser. */
export function forgetSession(): void {
  keep(null)
  post({ kind: 'secret', secret: null })
}

let rejection: string | null = null

/** Returns the reason why the sign-in link of this visit was refused; null: there was none, or it worked. */
export const linkRejection = (): string | null => rejection

/** Signs in if the address is a sign-in link. Resolves when requests can be sent. */
export async function prepareSession(): Promise<void> {
  open()
  if (location.pathname !== '/enter') {
    if (secret === null) await askOtherTabs()
    return
  }
  const code = new URLSearchParams(location.search).get('code') ?? ''
  // A link stays in no history, and a reload does not use it again.
  history.replaceState(null, '', '/')
  try {
    const { path, page } = await redeem(code)
    keep(page)
    post({ kind: 'secret', secret: page })
    history.replaceState(null, '', path)
  } catch (error) {
    // The page explains how to sign in, or that the daemon does not answer.
    if (!(error instanceof ApiError) && !(error instanceof TypeError)) throw error
    // A browser that is signed in already goes on to the dashboard: its tabs give this one the secret.
    if (secret === null) await askOtherTabs()
    if (error instanceof ApiError) rejection = error.problem.message
  }
}

async function redeem(code: string): Promise<{ path: string; page: string }> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch('/enter', { method: 'POST', headers, body: JSON.stringify({ code }) })
  const text = await response.text()
  if (!response.ok) throw apiErrorOf(response.status, text)
  return JSON.parse(text) as { path: string; page: string }
}
