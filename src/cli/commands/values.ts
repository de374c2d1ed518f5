import { InvalidArgumentError } from 'commander'

export const collect = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value]

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
