import { Heading } from '../parts/heading.tsx'
import { addresses, Link } from '../router.tsx'

export function NotFoundPage({ path }: { path: string }) {
  return (
    <>
      <Heading title="No such page" />
      <p>
        Nothing lives at <code>{path}</code>. Go to the <Link to={addresses.inbox}>inbox</Link> or the{' '}
        <Link to={addresses.runs}>runs</Link>.
      </p>
    </>
  )
}
