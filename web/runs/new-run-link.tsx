import { addresses, Link } from '../router.tsx'

export const NewRunLink = () => (
  <Link to={addresses.newRun} className="button primary" title="Compose and start a run (n)">
    New run
  </Link>
)
