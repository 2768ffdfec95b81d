import { Plus } from 'lucide-react'
import { Button } from '../../ui/Button.tsx'
import { PageHeader } from '../../ui/Panel.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { useSearch } from '../../ui/useSearch.ts'
import { Audience } from './audience/Audience.tsx'
import { CampaignPage } from './CampaignPage.tsx'
import { Campaigns } from './Campaigns.tsx'
import { NewCampaign } from './NewCampaign.tsx'
import { useLiveCampaigns } from './queries.ts'
import { Sending } from './sending/Sending.tsx'
import { NewSequence } from './sequences/NewSequence.tsx'
import { SequencePage } from './sequences/SequencePage.tsx'
import { Sequences } from './sequences/Sequences.tsx'
import { Templates } from './templates/Templates.tsx'

const tabs = ['campaigns', 'sequences', 'audience', 'templates', 'sending'] as const
type Tab = (typeof tabs)[number]

/** Campaigns with how they did, whom they go to, what they begin from and who carries them. One campaign takes the page. */
export function EmailStudioPage() {
  const { search, change } = useSearch()
  useLiveCampaigns()
  const campaign = search.get('campaign')
  if (campaign) return <CampaignPage key={campaign} id={campaign} />
  const sequence = search.get('sequence')
  if (sequence) return <SequencePage key={sequence} id={sequence} />
  const tab = tabs.find((each) => each === search.get('tab')) ?? 'campaigns'
  return (
    <>
      <PageHeader
        title="Email Studio"
        description="Write a campaign, send it to the right people, and see how it does."
        actions={
          <Button variant="primary" onClick={() => change({ new: '1' })}>
            <Plus />
            {tab === 'sequences' ? 'New sequence' : 'New campaign'}
          </Button>
        }
      />
      <Tabs<Tab>
        label="Email Studio"
        value={tab}
        onChange={(next) => change({ tab: next === 'campaigns' ? undefined : next, q: undefined, status: undefined, new: undefined })}
        tabs={[
          { id: 'campaigns', label: 'Campaigns', panel: <Campaigns /> },
          { id: 'sequences', label: 'Sequences', panel: <Sequences /> },
          { id: 'audience', label: 'Audience', panel: <Audience /> },
          { id: 'templates', label: 'Templates', panel: <Templates /> },
          { id: 'sending', label: 'Sending', panel: <Sending /> },
        ]}
      />
      {search.has('new') && tab === 'sequences' ? <NewSequence onClose={() => change({ new: undefined }, true)} /> : null}
      {search.has('new') && tab !== 'sequences' ? (
        <NewCampaign onClose={() => change({ new: undefined, template: undefined }, true)} template={search.get('template')} />
      ) : null}
    </>
  )
}
