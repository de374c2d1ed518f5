export const Chevron = ({ open }: { open: boolean }) => (
  <svg className="fold-sign" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true" focusable="false">
    <path d={open ? 'M2.5 4.5 6 8l3.5-3.5' : 'M4.5 2.5 8 6l-3.5 3.5'} />
  </svg>
)
