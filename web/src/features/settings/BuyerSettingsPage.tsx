import { BuyerFrame, BuyerHead } from '../../shell/BuyerFrame.tsx'
import { Sections } from './SettingsPage.tsx'

/** A buyer's settings in the buyer's own place: what belongs to the account, and nothing of the seller's tools. */
export function BuyerSettingsPage() {
  return (
    <BuyerFrame>
      <BuyerHead title="Settings" />
      <div className="px-5 pb-14 md:px-8">
        <Sections only={['profile', 'security', 'devices', 'data']} />
      </div>
    </BuyerFrame>
  )
}
