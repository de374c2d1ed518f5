/** As many decimals as it takes to tell it from nothing. */
export function moneyText(micros: number): string {
  const usd = micros / 1e6
  if (micros === 0 || usd >= 1) return `$${usd.toFixed(2)}`
  return `$${usd.toFixed(usd >= 0.01 ? 4 : 6).replace(/(\.\d\d\d*?)0+$/, '$1')}`
}

export const countText = (count: number): string => count.toLocaleString('en')
