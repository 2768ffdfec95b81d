import { features } from '../../content/features.ts'
import { Pill } from '../../ui/Panel.tsx'

export function FeatureGrid() {
  return (
    <section id="features" className="border-t border-line">
      <div className="mx-auto grid max-w-[84rem] gap-x-10 gap-y-10 px-5 py-20 md:grid-cols-12 md:px-8 md:py-28">
        <div className="md:col-span-4">
          <div className="md:sticky md:top-28">
            <h2 className="text-40 font-semibold">Sixteen tools that know about each other.</h2>
            <p className="mt-4 max-w-[40ch] text-muted">
              A lead found in one is known in the next. Nothing is exported, imported or explained twice.
            </p>
          </div>
        </div>
        <ul className="grid gap-px overflow-hidden rounded-panel bg-line hairline sm:grid-cols-2 md:col-span-8">
          {features.map((feature) => (
            <li key={feature.title} className="flex gap-4 bg-page p-5">
              <feature.icon className="mt-0.5 size-5 text-muted" />
              <div>
                <h3 className="flex flex-wrap items-center gap-x-2 gap-y-1 text-16 font-semibold tracking-[-0.01em]">
                  {feature.title}
                  {feature.coming ? <Pill>Coming</Pill> : null}
                </h3>
                <p className="mt-1 text-14 text-muted">{feature.text}</p>
              </div>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
