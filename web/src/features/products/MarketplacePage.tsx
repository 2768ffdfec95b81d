import { ExternalLink, Plus } from 'lucide-react'
import { useSearchParams } from 'react-router-dom'
import { useCall } from '../../api/call.ts'
import { useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Alert, PageHeader } from '../../ui/Panel.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { BusinessProfile } from './BusinessProfile.tsx'
import { Messages } from './Messages.tsx'
import { MyProducts } from './MyProducts.tsx'
import { NewProduct } from './NewProduct.tsx'
import { Overview } from './Overview.tsx'

export type Section = 'overview' | 'products' | 'messages' | 'profile'

/** Everything that a seller manages of their marketplace. */
export function MarketplacePage() {
  const { user } = useSession()
  const [search, setSearch] = useSearchParams()
  const profile = useCall('business-profile', {}, { key: ['business-profile', user!.id] })
  const section = (search.get('tab') ?? 'overview') as Section
  const creating = search.get('new') !== null
  const go = (next: Section, more: Record<string, string> = {}) =>
    setSearch({ ...(next !== 'overview' && { tab: next }), ...more }, { replace: true })
  const { slug, suspended_because } = profile.data ?? {}
  return (
    <>
      <PageHeader
        title="Marketplace"
        actions={
          <>
            {slug ? (
              <ButtonLink to={paths.storefront(slug)} target="_blank">
                <ExternalLink />
                Storefront
              </ButtonLink>
            ) : null}
            <Button variant="primary" onClick={() => go('products', { new: '' })}>
              <Plus />
              New product
            </Button>
          </>
        }
      />
      {suspended_because ? (
        <Alert tone="bad" title="Your sales are suspended" className="mb-4">
          {suspended_because} Nothing of yours is on sale. Your buyers keep what they bought.
        </Alert>
      ) : null}
      <Tabs<Section>
        label="Marketplace"
        value={section}
        onChange={(next) => go(next)}
        tabs={[
          { id: 'overview', label: 'Overview', panel: <Overview onAdd={() => go('products', { new: '' })} /> },
          { id: 'products', label: 'My Products', panel: <MyProducts onAdd={() => go('products', { new: '' })} /> },
          { id: 'messages', label: 'Messages', panel: <Messages /> },
          { id: 'profile', label: 'Business Profile', panel: <BusinessProfile userId={user!.id} profile={profile} /> },
        ]}
      />
      <NewProduct open={creating} onClose={() => go(section === 'overview' ? 'products' : section)} />
    </>
  )
}
