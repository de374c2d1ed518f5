import { Heading } from '../parts/heading.tsx'
import { addresses, Link } from '../router.tsx'

export function NotFoundPage({ path }: { path: string }) {
  return (
    <>
      <Heading title="Page not found" />
      <p>
        There is no page at <code>{path}</code>. Go to the <Link to={addresses.inbox}>inbox</Link> or the{' '}
        <Link to={addresses.runs}>runs</Link>.
      </p>
    </>
  )
}
