import { InvalidArgumentError } from 'commander'

export const collect = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value]

export const list = (text: string): string[] => text.split(',').map((each) => each.trim())

const pathTiers = ['t2', 't3', 't4', 't5']

export const addedTiers = (text: string): string[] => {
  const tiers = list(text)
  if (tiers.every((tier) => pathTiers.includes(tier))) return tiers
  throw new InvalidArgumentError('It must be tiers of a path, such as t2 or t2,t3.')
}

export const removedTiers = (text: string): string[] => {
  const tiers = addedTiers(text)
  const needed = tiers.find((tier) => tier === 't4' || tier === 't5')
  if (needed === undefined) return tiers
  throw new InvalidArgumentError(`${needed} is mandatory.`)
}

export const whole =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
    throw new InvalidArgumentError(`It must be a whole number ${range}.`)
  }

export const wholeText =
  (min: number, max: number) =>
  (text: string): string =>
    String(whole(min, max)(text))

export const minutes = (text: string): number | null => {
  if (/^(off|null|none)$/i.test(text)) return null
  const value = Number(text)
  if (value > 0 && value <= 100_000) return value
  throw new InvalidArgumentError('It must be a positive number of minutes, or "off".')
}

export const checksPlace = (text: string): 'checkout' | 'workspace' => {
  if (text === 'checkout' || text === 'workspace') return text
  throw new InvalidArgumentError(
    text === 'host'
      ? 'Only config.yaml can allow checks on the host: list the repository and its commands under checks.host.'
      : 'It must be checkout or workspace.',
  )
}

/** An id, a slug or a name. It becomes part of a path, where `.` and `..` would mean another one. */
export const reference = (text: string): string => {
  const trimmed = text.trim()
  if (trimmed !== '' && trimmed !== '.' && trimmed !== '..') return trimmed
  throw new InvalidArgumentError('It must be an id, a slug or a name.')
}

export const amount = (text: string): number => {
  const value = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && value <= 1e15) return value
  throw new InvalidArgumentError('It must be a number of at least 0.')
}

export const yesNo = (text: string): boolean => {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new InvalidArgumentError('It must be true or false.')
}

/** The number of a seat, or null for "none". */
export const leadSeat = (text: string): number | null => (text === 'none' ? null : whole(1)(text))

/** A limit, or null for "off". */
export const orOff =
  (parse: (text: string) => number) =>
  (text: string): number | null =>
    /^(off|none|null)$/i.test(text) ? null : parse(text)

export function dollars(text: string): number {
  const value = Number(text.replace(/^\$/, ''))
  if (/^\$?\d+(\.\d+)?$/.test(text) && value > 0 && value <= 1e6) return value
  throw new InvalidArgumentError('It must be an amount in US dollars of at most 1000000, such as 2.50.')
}
