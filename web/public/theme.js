// Before the first paint, so that a chosen theme does not flash in the other one. A file of its own: no inline scripts.
try {
  const chosen = localStorage.getItem('agency.theme')
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen
} catch {
  // Storage can be forbidden; then the system's preference holds.
}
