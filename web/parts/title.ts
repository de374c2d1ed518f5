import { useEffect } from 'react'

/** The title and the icon of the tab. Both show the number of things that wait for the operator, on every page. */
let page = 'Agency'
let waiting = 0

/** Sets the name of the page in the title. */
export function setPageTitle(title: string): void {
  page = `${title} · Agency`
  document.title = titleOf(page, waiting)
}

/** Shows a count in the title and the icon while the component is mounted. */
export function useWaitingTitle(count: number): void {
  useEffect(() => show(count), [count])
  useEffect(() => () => show(0), [])
}

function show(count: number): void {
  waiting = count
  document.title = titleOf(page, count)
  document.querySelector('link[rel="icon"]')?.setAttribute('href', iconOf(count))
}

export const titleOf = (title: string, count: number): string => (count === 0 ? title : `(${count}) ${title}`)

/** Returns the address of the icon: the file, or a drawing of it with the count on an amber disc. */
export const iconOf = (count: number): string =>
  count === 0 ? '/favicon.svg' : `data:image/svg+xml,${encodeURIComponent(drawing(count > 9 ? '9+' : String(count)))}`

/** The colours are those of the amber of the light theme, because the bar of a browser has either. */
const drawing = (text: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#6d4fc4"/><path d="M3.5 12.5 8 3.5l4.5 9M5.4 9.4h5.2" fill="none" stroke="#fff" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/><circle cx="11" cy="5" r="5" fill="#f0b429"/><text x="11" y="${text.length > 1 ? 7.4 : 7.8}" font-family="sans-serif" font-weight="bold" font-size="${text.length > 1 ? 6.4 : 8}" text-anchor="middle" fill="#1b1405">${text}</text></svg>`
