import { Plus } from 'lucide-react'
import { Link } from 'react-router-dom'
import { paths } from '../../../paths.ts'
import { buttonClass } from '../../../ui/Button.tsx'
import { OptIn } from './OptIn.tsx'
import { Segments } from './Segments.tsx'
import { Suppressions } from './Suppressions.tsx'
import { Topics } from './Topics.tsx'

/** Whom campaigns go to, and whom they must not reach. */
export function Audience() {
  return (
    <div className="grid grid-cols-1 items-start gap-6 pt-4 xl:grid-cols-2">
      <div className="flex flex-col gap-6">
        <Segments />
        <Topics />
      </div>
      <div className="flex flex-col gap-6">
        <Suppressions />
        <OptIn />
        <p className="text-13 text-muted">
          Campaigns go to the contacts of the CRM.{' '}
          <Link to={`${paths.crm}?import=1`} className={buttonClass({ variant: 'ghost' }, 'align-middle')}>
            <Plus />
            Import contacts
          </Link>
        </p>
      </div>
    </div>
  )
}
