/** Formats figures and times for people. */

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** `now`, `42 s ago`, `5 min ago`, `3 h ago`, `2 d ago`. A time slightly in the future is `now`: clocks differ. */
export function age(ms: number): string {
  if (ms < 5 * second) return 'now'
  return `${coarseDuration(ms)} ago`
}

/** Formats a duration in its largest unit only, which is enough to judge it. */
export function coarseDuration(ms: number): string {
  if (ms < minute) return `${Math.floor(ms / second)} s`
  if (ms < hour) return `${Math.floor(ms / minute)} min`
  if (ms < 2 * day) return `${Math.floor(ms / hour)} h`
  return `${Math.floor(ms / day)} d`
}

/** Formats the duration of something that ended: `14 ms`, `1.2 s`, `42 s`, `3 m 05 s`, `2 h 10 m`. */
export function duration(ms: number): string {
  if (ms < second) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 10 * second) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`
  return runningDuration(ms)
}

/** Formats the duration of something that still runs: in whole seconds, so that it does not flicker. */
export function runningDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / second))
  if (seconds < 60) return `${seconds} s`
  if (ms < hour) return `${Math.floor(seconds / 60)} m ${twoDigits(seconds % 60)} s`
  return `${Math.floor(ms / hour)} h ${twoDigits(Math.floor(seconds / 60) % 60)} m`
}

/** 12:34:56, in the time zone of the browser. */
export const clockTime = (ms: number): string => {
  const at = new Date(ms)
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(':')
}

/** 2026-03-01 12:34:56, for the tooltip of an age. */
export const exactTime = (ms: number): string => {
  const at = new Date(ms)
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())} ${clockTime(ms)}`
}

/** 1,234,567: the page has one language, independent of the browser's. */
export const figure = (value: number): string => value.toLocaleString('en-GB')

export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${figure(value)} ${value === 1 ? one : many}`

/** 512 B, 1.5 kB, 3.2 MB, 120.5 GB. */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`
}

/** Formats millionths of a dollar as dollars to the cent: `$1.92`; an amount below one cent is not shown as zero. */
export function money(micros: number): string {
  if (micros > 0 && micros < 10_000) return 'under $0.01'
  return `$${(micros / 1_000_000).toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`
}

/** `812 tokens`, `111k tokens`, `1.2M tokens`. */
export function tokens(count: number): string {
  if (count < 10_000) return counted(count, 'token')
  return count < 1_000_000 ? `${Math.round(count / 1_000)}k tokens` : `${(count / 1_000_000).toFixed(1)}M tokens`
}

/** `/home/kim/shop` → `shop`. */
export const nameOfRepository = (path: string): string => path.split('/').findLast((part) => part !== '') ?? path

/** `ready_for_verification` → `ready for verification`. */
export const humanise = (name: string): string => name.replaceAll('_', ' ')

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** Removes the sign from a message: it is drawn separately, few fonts have it, and some show an emoji. */
export const withoutSign = (message: string): string => message.replace(/^⏸\uFE0F?\s*/u, '')
