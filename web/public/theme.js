// Sets the chosen theme before the first paint, so that the other one does not flash. A separate file: no inline scripts.
try {
  const chosen = localStorage.getItem('agency.theme')
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen
} catch {
  // Storage can be forbidden; then the system's preference applies.
}
