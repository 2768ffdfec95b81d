import { PageHeader, Pill } from '../../ui/Panel.tsx'
import { useSearch } from '../../ui/useSearch.ts'
import { Back } from './Back.tsx'
import { CampaignMenu } from './CampaignMenu.tsx'
import { Editor } from './editor/Editor.tsx'
import { Opening } from './Opening.tsx'
import { type Campaign, useCampaign } from './queries.ts'
import { ReportView } from './report/ReportView.tsx'
import { Scheduled } from './report/Scheduled.tsx'
import { statusNames, statusTones } from './words.ts'

/** One campaign: written while it is a draft, watched from then on. */
export function CampaignPage({ id }: { id: string }) {
  const found = useCampaign(id)
  if (!found.data) return <Opening noun="campaign" back={<Back />} found={found} />
  const { campaign, counts } = found.data
  if (campaign.status === 'draft') return <Editor key={campaign.campaign_id} campaign={campaign} />
  return (
    <>
      <Head campaign={campaign} />
      {campaign.status === 'scheduled' ? <Scheduled campaign={campaign} /> : <ReportView campaign={campaign} counts={counts} />}
    </>
  )
}

function Head({ campaign }: { campaign: Campaign }) {
  const { change } = useSearch()
  return (
    <>
      <Back />
      <PageHeader
        title={campaign.name}
        badge={
          <>
            <Pill tone={statusTones[campaign.status]}>{statusNames[campaign.status]}</Pill>
            <CampaignMenu
              of={campaign}
              onCopied={(copy) => change({ campaign: copy })}
              onGone={() => change({ campaign: undefined }, true)}
            />
          </>
        }
        description={campaign.subject}
      />
    </>
  )
}
