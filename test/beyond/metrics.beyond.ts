import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { runCommand } from "../../scripts/command.ts";
import { installFor } from "../../scripts/debian.ts";
import { CLINIC_MEASURES } from "../../src/company/metrics.ts";
import { CHECKOUT, Program } from "../rig/program.ts";

const SHARED = join(CHECKOUT, "packaging", "root", "usr", "share", "flanco");

describe("Prometheus", () => {
  let program: Program;
  let text: string;

  before(async () => {
    installFor("alert rules");
    program = await Program.make({ FLANCO_METRICS: "true" });
    const service = await program.start();
    text = await (await service.get("/metrics")).text();
  });

  after(() => program?.close());

  it("takes the alerts that the package brings", () => {
    expect(runCommand(["promtool", "check", "rules", join(SHARED, "prometheus-rules.yml")])).to.contain(
      "7 rules found",
    );
  });

  it("warns of a disk that fills up, and not of the first backup on a new one", () => {
    const rules = join(SHARED, "prometheus-rules.yml");
    const warnedOf = (instance: string) => ({
      exp_labels: { job: "flanco", instance, severity: "warning" },
      exp_annotations: {
        summary: `The disk of ${instance} will be full within two weeks`,
        description: "Remove what is not needed, or replace the card by a larger one.",
      },
    });
    const free = (instance: string, values: string) => ({
      series: `flanco_disk_free_bytes{job="flanco",instance="${instance}"}`,
      values,
    });
    const alertname = "FlancoDiskFillsUp";
    const history = {
      rule_files: [rules],
      evaluation_interval: "5m",
      tests: [
        {
          interval: "5m",
          input_series: [
            free("new", "10000000000x6 9700000000x600"),
            free("filling", "1000000000-1000000x600"),
          ],
          alert_rule_test: [
            { eval_time: "4h", alertname, exp_alerts: [] },
            { eval_time: "40h", alertname, exp_alerts: [warnedOf("filling")] },
          ],
        },
      ],
    };
    const file = program.write("history.yml", JSON.stringify(history));
    expect(runCommand(["promtool", "test", "rules", file])).to.contain("SUCCESS");
  });

  it("calls critical what loses or refuses sales, and warns of the other faults", () => {
    const alertname = "FlancoFault";
    const fault = (code: string, severity: string) =>
      `flanco_fault{instance="g",code="${code}",severity="${severity}"}`;
    const alertOf = (code: string, severity: string) => ({
      exp_labels: { instance: "g", code, severity },
      exp_annotations: {
        summary: `g: ${code}`,
        description: "flanco status says what to do; docs/reference.md lists the faults.",
      },
    });
    const file = program.write(
      "faults.yml",
      JSON.stringify({
        rule_files: [join(SHARED, "prometheus-rules.yml")],
        tests: [
          {
            interval: "1m",
            input_series: [fault("disk_full", "grave"), fault("disk_slow", "note")].map((series) => ({
              series,
              values: "1x20",
            })),
            alert_rule_test: [
              {
                eval_time: "15m",
                alertname,
                exp_alerts: [alertOf("disk_full", "critical"), alertOf("disk_slow", "warning")],
              },
            ],
          },
        ],
      }),
    );
    expect(runCommand(["promtool", "test", "rules", file])).to.contain("SUCCESS");
  });

  it("finds nothing against its conventions in what the gateway serves", () => {
    const file = program.write("metrics", text);
    expect(runCommand(["sh", "-c", `promtool check metrics <'${file}' 2>&1`])).to.equal("");
  });

  it("is asked by alerts and dashboard for metrics alone that a gateway or a company serves", () => {
    const asked = ["prometheus-rules.yml", "grafana-dashboard.json"].flatMap((name) => [
      ...readFileSync(join(SHARED, name), "utf8").matchAll(/\b(flanco_[a-z_]+|process_[a-z_]+)\b(?!")/g),
    ]);
    const served = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    // Known only where there is a fault, a backup or a sink.
    for (const name of ["flanco_fault", "flanco_backup_age_seconds"]) served.add(name);
    for (const name of ["flanco_sink_lag_seconds", "flanco_sink_failures_total"]) served.add(name);
    for (const { name } of CLINIC_MEASURES) served.add(name);
    expect(asked.map(([, name]) => name).filter((name) => !served.has(name))).to.deep.equal([]);
  });
});
