/** `1 run`, `2 runs`. Nouns whose plural is not formed with an s do not occur. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** `$1.50`, `$0.0042`: with as many decimals as it takes to distinguish the amount from nothing. */
export function moneyText(micros: number): string {
  const usd = micros / 1e6
  if (micros === 0 || usd >= 1) return `$${usd.toFixed(2)}`
  return `$${usd.toFixed(usd >= 0.01 ? 4 : 6).replace(/(\.\d\d\d*?)0+$/, '$1')}`
}

/** `12,345`. */
export const countText = (count: number): string => count.toLocaleString('en')
