//! The Kubernetes manifests and the compose file mean what the binaries do: rendered by kustomize,
//! then held against the real command lines and against each other.

use std::path::PathBuf;
use std::process::Command;

use clap::Parser;
use serde_yaml_ng::Value;

/// Ports that both binaries listen on by themselves.
const COORDINATOR: u64 = 7400;
const WORKER: u64 = sokohive_worker::DEFAULT_PORT as u64;

/// Port for figures, as the manifests have it.
const METRICS: u64 = 7480;

fn deploy() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../deploy")
}

/// The manifests of a folder as kustomize renders them; `None`, said so, where there is no kubectl.
fn render(folder: &str) -> Option<Vec<Value>> {
    let folder = deploy().join("kubernetes").join(folder);
    let output = match Command::new("kubectl").arg("kustomize").arg(&folder).output() {
        Ok(output) => output,
        Err(error) => {
            println!("skipped: kubectl cannot be run: {error}");
            return None;
        }
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let documents = serde_yaml_ng::Deserializer::from_str(&text);
    Some(documents.map(|document| serde::Deserialize::deserialize(document).unwrap()).collect())
}

/// Follows a path of keys and indices.
#[track_caller]
fn at<'v>(value: &'v Value, path: &str) -> &'v Value {
    path.split('.').fold(value, |value, step| {
        let next = match step.parse::<usize>() {
            Ok(index) => value.get(index),
            Err(_) => value.get(step),
        };
        next.unwrap_or_else(|| panic!("no {step} of {path} in {value:?}"))
    })
}

#[track_caller]
fn text<'v>(value: &'v Value, path: &str) -> &'v str {
    at(value, path).as_str().unwrap_or_else(|| panic!("{path} is no text"))
}

#[track_caller]
fn find<'v>(objects: &'v [Value], kind: &str, name: &str) -> &'v Value {
    let is =
        |object: &&Value| text(object, "kind") == kind && text(object, "metadata.name") == name;
    objects.iter().find(is).unwrap_or_else(|| panic!("no {kind} {name}"))
}

/// The arguments of a container, with its environment filled in as Kubernetes does.
fn arguments(container: &Value) -> Vec<String> {
    let strings = |key: &str| -> Vec<String> {
        let list = container.get(key).and_then(Value::as_sequence);
        list.into_iter().flatten().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    let mut words = strings("command");
    words.extend(strings("args"));
    for variable in container.get("env").and_then(Value::as_sequence).into_iter().flatten() {
        let name = text(variable, "name");
        let value = match variable.get("value") {
            Some(value) => value.as_str().unwrap(),
            None => match text(variable, "valueFrom.fieldRef.fieldPath") {
                "metadata.name" => "pod-0",
                "metadata.namespace" => "sokohive",
                field => panic!("{name} from {field}"),
            },
        };
        for word in &mut words {
            *word = word.replace(&format!("$({name})"), value);
        }
    }
    assert!(words.iter().all(|word| !word.contains("$(")), "not filled in: {words:?}");
    words
}

fn worker_cli(words: &[String]) -> sokohive_worker::Cli {
    assert_eq!(words[0], "sokohive-worker");
    sokohive_worker::Cli::try_parse_from(words).unwrap_or_else(|error| panic!("{error}"))
}

fn coordinator_cli(words: &[String]) -> clap::ArgMatches {
    assert_eq!(words[0], "sokohive");
    let matches = sokohive::command().try_get_matches_from(words);
    matches.unwrap_or_else(|error| panic!("{error}"))
}

/// A size such as `4Gi`, in bytes.
fn quantity(text: &str) -> u64 {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        unit => panic!("unit {unit}"),
    };
    digits.parse::<u64>().unwrap() * unit
}

const FOLDERS: [&str; 2] = ["base", "overlays/scale"];

#[test]
fn selectors_find_the_pods_they_mean() {
    for folder in FOLDERS {
        let Some(objects) = render(folder) else { return };
        let pods = [
            ("sokohive-worker", find(&objects, "StatefulSet", "sokohive-worker")),
            ("sokohive-coordinator", find(&objects, "Deployment", "sokohive-coordinator")),
        ];
        for (name, owner) in pods {
            let labels = at(owner, "spec.template.metadata.labels");
            let service = find(&objects, "Service", name);
            for selector in [at(owner, "spec.selector.matchLabels"), at(service, "spec.selector")] {
                for (key, value) in selector.as_mapping().unwrap() {
                    assert_eq!(labels.get(key), Some(value), "{folder}: {name}");
                }
            }
            assert_eq!(text(owner, "metadata.namespace"), text(service, "metadata.namespace"));
        }
        let budget = find(&objects, "PodDisruptionBudget", "sokohive-worker");
        let labels = at(pods[0].1, "spec.template.metadata.labels");
        for (key, value) in at(budget, "spec.selector.matchLabels").as_mapping().unwrap() {
            assert_eq!(labels.get(key), Some(value));
        }
    }
}

#[test]
fn workers_have_names_before_they_are_ready() {
    let Some(objects) = render("base") else { return };
    let workers = find(&objects, "StatefulSet", "sokohive-worker");
    let service = find(&objects, "Service", text(workers, "spec.serviceName"));
    assert_eq!(text(service, "spec.clusterIP"), "None");
    assert_eq!(at(service, "spec.publishNotReadyAddresses").as_bool(), Some(true));
    let options = worker_cli(&arguments(at(workers, "spec.template.spec.containers.0")));
    let advertise = options.advertise.unwrap();
    let (name, namespace) = (text(service, "metadata.name"), text(service, "metadata.namespace"));
    assert_eq!(advertise, format!("pod-0.{name}.{namespace}:{WORKER}"));
}

#[test]
fn arguments_ports_and_probes_are_those_of_the_binaries() {
    for folder in FOLDERS {
        let Some(objects) = render(folder) else { return };
        let worker = find(&objects, "StatefulSet", "sokohive-worker");
        let worker = at(worker, "spec.template.spec.containers.0");
        let coordinator = find(&objects, "Deployment", "sokohive-coordinator");
        let coordinator = at(coordinator, "spec.template.spec.containers.0");

        let options = worker_cli(&arguments(worker));
        assert_eq!(u64::from(options.listen.port()), WORKER);
        let service = find(&objects, "Service", "sokohive-coordinator");
        assert_eq!(options.coordinator, Some(format!("sokohive-coordinator:{COORDINATOR}")));
        assert_eq!(at(service, "spec.ports.0.port").as_u64(), Some(COORDINATOR));
        let matches = coordinator_cli(&arguments(coordinator));
        let (command, flags) = matches.subcommand().unwrap();
        assert_eq!(command, "serve");
        let listen: &std::net::SocketAddr = flags.get_one("listen").unwrap();
        assert_eq!(u64::from(listen.port()), COORDINATOR);

        let metrics: &std::net::SocketAddr = flags.get_one("metrics").unwrap();
        for (container, port, metrics) in
            [(worker, WORKER, options.metrics.as_ref()), (coordinator, COORDINATOR, Some(metrics))]
        {
            assert_eq!(at(container, "ports.0.containerPort").as_u64(), Some(port));
            let metrics = u64::from(metrics.unwrap().port());
            assert_eq!(metrics, METRICS);
            assert_eq!(text(container, "ports.1.name"), "metrics");
            assert_eq!(at(container, "ports.1.containerPort").as_u64(), Some(metrics));
            for probe in ["startupProbe", "readinessProbe", "livenessProbe"] {
                assert_eq!(text(container, &format!("{probe}.httpGet.path")), "/healthz");
                assert_eq!(text(container, &format!("{probe}.httpGet.port")), "metrics");
            }
        }
    }
}

#[test]
fn the_scaled_overlay_waits_for_all_its_workers() {
    for folder in FOLDERS {
        let Some(objects) = render(folder) else { return };
        let replicas =
            at(find(&objects, "StatefulSet", "sokohive-worker"), "spec.replicas").as_u64();
        let coordinator = find(&objects, "Deployment", "sokohive-coordinator");
        let words = arguments(at(coordinator, "spec.template.spec.containers.0"));
        let matches = coordinator_cli(&words);
        let least: &std::num::NonZeroUsize =
            matches.subcommand().unwrap().1.get_one("min_workers").unwrap();
        assert_eq!(Some(least.get() as u64), replicas, "{folder}");
    }
}

#[test]
fn resources_are_guaranteed_and_the_search_stays_within() {
    for folder in FOLDERS {
        let Some(objects) = render(folder) else { return };
        for (kind, name) in
            [("StatefulSet", "sokohive-worker"), ("Deployment", "sokohive-coordinator")]
        {
            let container = at(find(&objects, kind, name), "spec.template.spec.containers.0");
            let resources = at(container, "resources");
            assert_eq!(resources.get("requests"), resources.get("limits"), "{folder}: {name}");
            if kind == "StatefulSet" {
                let limit = quantity(text(resources, "limits.memory"));
                let options = worker_cli(&arguments(container));
                let memory = options.memory.unwrap().0;
                assert!(memory * 100 <= limit * 85, "{folder}: {memory} of {limit}");
                let replicas = at(find(&objects, kind, name), "spec.replicas").as_u64().unwrap();
                let (threads, peers) = (options.threads.unwrap().get(), replicas as usize - 1);
                let beside = sokohive_worker::beside(threads, peers);
                assert!(memory + beside <= limit, "{folder}: {memory} and {beside} of {limit}");
                let cores = text(resources, "limits.cpu");
                assert_eq!(options.threads.unwrap().to_string(), cores, "{folder}");
            }
        }
    }
}

/// The variables that the flags of a command can be given by.
fn variables(command: &clap::Command) -> Vec<String> {
    let of = |command: &clap::Command| {
        let names = command.get_arguments().filter_map(|argument| argument.get_env());
        names.map(|name| name.to_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let mut names = of(command);
    names.extend(command.get_subcommands().flat_map(of));
    names
}

const SECRETS: [&str; 4] =
    ["SOKOHIVE_TLS_CA", "SOKOHIVE_TLS_CERT", "SOKOHIVE_TLS_KEY", "SOKOHIVE_JOB_TOKEN_FILE"];

#[test]
fn certificates_and_token_are_mounted_where_the_commands_look() {
    use clap::CommandFactory;
    for variable in SECRETS {
        for command in [sokohive_worker::Cli::command(), sokohive::command()] {
            assert!(variables(&command).iter().any(|name| name == variable), "{variable}");
        }
    }
    for folder in FOLDERS {
        let Some(objects) = render(folder) else { return };
        for (kind, name) in
            [("StatefulSet", "sokohive-worker"), ("Deployment", "sokohive-coordinator")]
        {
            let pod = at(find(&objects, kind, name), "spec.template.spec");
            let container = at(pod, "containers.0");
            let mounts = at(container, "volumeMounts").as_sequence().unwrap();
            let volumes = at(pod, "volumes").as_sequence().unwrap();
            let environment = at(container, "env").as_sequence().unwrap();
            for variable in SECRETS {
                let set = environment.iter().find(|set| text(set, "name") == variable);
                let file = text(set.unwrap_or_else(|| panic!("{name}: no {variable}")), "value");
                let mount = mounts.iter().find(|mount| {
                    let path = text(mount, "mountPath");
                    file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
                });
                let mount = mount.unwrap_or_else(|| panic!("{name}: nothing at {file}"));
                assert_eq!(at(mount, "readOnly").as_bool(), Some(true));
                let volume =
                    volumes.iter().find(|volume| text(volume, "name") == text(mount, "name"));
                let secret = text(volume.unwrap(), "secret.secretName");
                let of_its_own = format!("{name}-tls");
                let expected = match variable {
                    "SOKOHIVE_JOB_TOKEN_FILE" => "sokohive-job-token",
                    _ => of_its_own.as_str(),
                };
                assert_eq!(secret, expected);
            }
            // Mounted files belong to root: the group is how the user can read them.
            let group = at(pod, "securityContext.fsGroup");
            assert_eq!(Some(group), at(pod, "securityContext").get("runAsGroup"), "{name}");
        }
    }
}

#[test]
fn policies_let_through_what_the_commands_need_and_nothing_else() {
    let Some(objects) = render("base") else { return };
    let nobody = find(&objects, "NetworkPolicy", "sokohive-nobody");
    assert!(at(nobody, "spec.podSelector").as_mapping().unwrap().is_empty(), "it is for all pods");
    for direction in ["ingress", "egress"] {
        assert!(at(nobody, "spec").get(direction).is_none(), "it allows something");
    }
    // From whom to whom, and where, in all policies together.
    let mut ways = std::collections::BTreeSet::new();
    let list = |value: &Value, key: &str| -> Vec<Value> {
        value.get(key).and_then(Value::as_sequence).cloned().unwrap_or_default()
    };
    for policy in objects.iter().filter(|object| text(object, "kind") == "NetworkPolicy") {
        let spec = at(policy, "spec");
        let types: Vec<&str> =
            at(spec, "policyTypes").as_sequence().unwrap().iter().flat_map(Value::as_str).collect();
        assert_eq!(types, ["Ingress", "Egress"]);
        let label = "app.kubernetes.io/name";
        let name = |selector: &Value| {
            let labels = at(selector, "matchLabels");
            let value = labels.get(label).or(labels.get("kubernetes.io/metadata.name"));
            value.unwrap().as_str().unwrap().trim_start_matches("sokohive-").to_owned()
        };
        for (direction, side) in [("ingress", "from"), ("egress", "to")] {
            for rule in list(spec, direction) {
                let ports = list(&rule, "ports");
                assert!(!ports.is_empty(), "a rule without ports is for all of them");
                for other in list(&rule, side) {
                    let other = match other.get("podSelector") {
                        Some(selector) => name(selector),
                        None => name(at(&other, "namespaceSelector")),
                    };
                    let own = name(at(spec, "podSelector"));
                    for port in &ports {
                        let port = at(port, "port").as_u64().unwrap();
                        let way = match direction {
                            "ingress" => format!("{other} in {own}:{port}"),
                            _ => format!("{own} out {other}:{port}"),
                        };
                        ways.insert(way);
                    }
                }
            }
        }
    }
    let ways: Vec<&str> = ways.iter().map(String::as_str).collect();
    let expected = [
        "client in coordinator:7400",
        "client out coordinator:7400",
        "client out kube-system:53",
        "coordinator in worker:7401",
        "coordinator out kube-system:53",
        "coordinator out worker:7401",
        "monitoring in coordinator:7480",
        "monitoring in worker:7480",
        "worker in coordinator:7400",
        "worker in worker:7401",
        "worker out coordinator:7400",
        "worker out kube-system:53",
        "worker out worker:7401",
    ];
    assert_eq!(ways, expected);
}

#[test]
fn figures_are_found_where_the_annotations_say() {
    let Some(objects) = render("base") else { return };
    for (kind, name) in [("StatefulSet", "sokohive-worker"), ("Deployment", "sokohive-coordinator")]
    {
        let annotations = at(find(&objects, kind, name), "spec.template.metadata.annotations");
        let value = |key: &str| annotations.get(key).unwrap().as_str().unwrap();
        assert_eq!(value("prometheus.io/scrape"), "true");
        assert_eq!(value("prometheus.io/port"), METRICS.to_string());
        assert_eq!(value("prometheus.io/path"), "/metrics");
    }
}

#[test]
fn pods_run_without_rights() {
    let Some(objects) = render("base") else { return };
    for (kind, name) in [("StatefulSet", "sokohive-worker"), ("Deployment", "sokohive-coordinator")]
    {
        let pod = at(find(&objects, kind, name), "spec.template.spec");
        assert_eq!(at(pod, "securityContext.runAsNonRoot").as_bool(), Some(true));
        let container = at(pod, "containers.0.securityContext");
        assert_eq!(at(container, "readOnlyRootFilesystem").as_bool(), Some(true));
        assert_eq!(at(container, "allowPrivilegeEscalation").as_bool(), Some(false));
        assert_eq!(text(container, "capabilities.drop.0"), "ALL");
        // The image's own user is the same.
        let user = at(pod, "securityContext.runAsUser").as_u64().unwrap();
        let dockerfile = std::fs::read_to_string(deploy().join("Dockerfile")).unwrap();
        assert!(dockerfile.contains(&format!("USER {user}:")));
    }
    let workers = find(&objects, "StatefulSet", "sokohive-worker");
    let container = at(workers, "spec.template.spec.containers.0");
    let mounted = text(container, "volumeMounts.0.mountPath");
    let options = worker_cli(&arguments(container));
    assert_eq!(options.data_dir.unwrap().to_str(), Some(mounted), "the only place to write to");
}

/// Fills in `${NAME:-default}` as compose does when nothing is set.
fn with_defaults(text: &str) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        filled.push_str(&rest[..start]);
        let end = start + rest[start..].find('}').unwrap();
        let (_, default) =
            rest[start + 2..end].split_once(":-").expect("every variable has a default");
        filled.push_str(default);
        rest = &rest[end + 1..];
    }
    filled + rest
}

#[test]
fn the_compose_file_means_what_the_binaries_do() {
    let text_of_file = std::fs::read_to_string(deploy().join("compose.yaml")).unwrap();
    let mut file: Value = serde_yaml_ng::from_str(&with_defaults(&text_of_file)).unwrap();
    file.apply_merge().unwrap();
    let words = |service: &str| -> Vec<String> {
        let command = at(&file, &format!("services.{service}.command"));
        command.as_sequence().unwrap().iter().map(|word| word.as_str().unwrap().into()).collect()
    };
    let options = worker_cli(&words("worker"));
    assert_eq!(u64::from(options.listen.port()), WORKER);
    assert_eq!(options.coordinator.unwrap(), format!("coordinator:{COORDINATOR}"));
    assert!(options.memory.unwrap().0 * 4 <= 3 << 30, "a quarter below the limit of 1 GiB");
    assert_eq!(text(&file, "services.worker.mem_limit"), "1g");
    let matches = coordinator_cli(&words("coordinator"));
    let (_, flags) = matches.subcommand().unwrap();
    let least: &std::num::NonZeroUsize = flags.get_one("min_workers").unwrap();
    assert_eq!(at(&file, "services.worker.scale").as_u64(), Some(least.get() as u64));
    assert_eq!(options.metrics.map(|metrics| u64::from(metrics.port())), Some(METRICS));
    let beside = sokohive_worker::beside(options.threads.unwrap().get(), 2);
    assert!(options.memory.unwrap().0 + beside <= 1 << 30, "{beside} beside the search");
    for (service, port) in [("worker", WORKER), ("coordinator", COORDINATOR)] {
        let secrets = at(&file, &format!("services.{service}.secrets")).as_sequence().unwrap();
        let target = |secret: &Value| match secret.as_str() {
            Some(name) => (name.to_owned(), name.to_owned()),
            None => (text(secret, "source").to_owned(), text(secret, "target").to_owned()),
        };
        let secrets: Vec<(String, String)> = secrets.iter().map(target).collect();
        for variable in SECRETS {
            let place = text(&file, &format!("services.{service}.environment.{variable}"));
            let place = place.strip_prefix("/run/secrets/").unwrap();
            let (source, _) = secrets.iter().find(|(_, target)| target == place).unwrap();
            let origin = text(&file, &format!("secrets.{source}.file"));
            assert!(origin.starts_with("./secrets/"), "{origin}");
            let own = ["cert", "key"].contains(&place);
            assert_eq!(source, &if own { format!("{service}-{place}") } else { place.to_owned() });
        }
        let test = at(&file, &format!("services.{service}.healthcheck.test"));
        let words: Vec<String> = test.as_sequence().unwrap()[1..]
            .iter()
            .map(|word| word.as_str().unwrap().to_owned())
            .collect();
        assert_eq!(worker_cli(&words).probe, Some(format!("127.0.0.1:{port}")));
    }
    let ports = text(&file, "services.coordinator.ports.0");
    assert!(ports.ends_with(&format!(":{COORDINATOR}")), "{ports}");
}
